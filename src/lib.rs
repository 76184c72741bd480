//! Relyant.

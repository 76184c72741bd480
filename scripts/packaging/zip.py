"""An archive that is the same for the same files: names sorted, no times; modes are kept.

    zip.py pack ARCHIVE FOLDER NAME        the files of FOLDER/NAME
    zip.py unpack ARCHIVE FOLDER
"""

import pathlib
import sys
import zipfile


def pack(archive, folder, name):
    """Packs the files of `folder/name`, by names from `folder` on."""
    root = pathlib.Path(folder)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(p for p in (root / name).rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(root)), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if file.stat().st_mode & 0o100 else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, file.read_bytes())


def unpack(archive, folder):
    """Unpacks with modes, as `unzip` does."""
    with zipfile.ZipFile(archive) as all_files:
        for entry in all_files.infolist():
            file = pathlib.Path(all_files.extract(entry, folder))
            file.chmod(entry.external_attr >> 16 & 0o777)


{"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])

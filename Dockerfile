# docker build -t relyant . && docker run --rm -v "$PWD:/work" relyant verify FILE.c
FROM rust:1-bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libz3-dev pkg-config
WORKDIR /relyant
COPY . .
RUN cargo build --release --locked --bin relyant --bin relyant-check -p relyant -p relyant-checker

FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev libz3-4 && rm -rf /var/lib/apt/lists/*
COPY --from=build /relyant/target/release/relyant /relyant/target/release/relyant-check /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["relyant"]

# A small image: docker build -f slim.Dockerfile -t pushbox .
FROM swift:6.2-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ git liblmdb-dev libnghttp2-dev libssl-dev make pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN scripts/build.sh

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates liblmdb0 libnghttp2-14 libssl3 libstdc++6 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --home-dir /var/lib/pushbox --create-home --shell /usr/sbin/nologin pushbox \
 && chmod 700 /var/lib/pushbox
COPY --from=build /source/dist/pushbox /usr/bin/pushbox
USER 10001
# Registrations and token.key.
VOLUME /var/lib/pushbox
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=10s CMD ["/usr/bin/pushbox", "health"]
ENTRYPOINT ["/usr/bin/pushbox"]
CMD ["serve"]

# markscheme without a Python of your own. Work in a folder of yours, as your own user:
#
#   docker build --tag markscheme .
#   docker run --rm --volume "$PWD:/project" --user "$(id -u):$(id -g)" markscheme calibrate code-quality
#
# Replies are kept outside of the project, so that no repository can bring replies of its own. To keep them for the next
# run, add --volume markscheme-replies:/replies.
#
# The labelling page, at the address it prints, which has the rater's token:
#
#   docker run --rm --interactive --tty --volume "$PWD:/project" --user "$(id -u):$(id -g)" --publish 127.0.0.1:8765:8765 \
#       markscheme label support-reply --rater ann --host 0.0.0.0 --public-url http://127.0.0.1:8765
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY src src
COPY graders graders
COPY rubrics rubrics
COPY skills skills
COPY calibration/code-quality calibration/code-quality
RUN python -m venv /opt/markscheme \
    && /opt/markscheme/bin/pip install --no-cache-dir '.[openai]'

FROM python:3.12-slim
COPY --from=build /opt/markscheme /opt/markscheme
ENV PATH=/opt/markscheme/bin:$PATH \
    HOME=/tmp \
    MARKSCHEME_CACHE=/replies/cache \
    PYTHONDONTWRITEBYTECODE=1
# Any user may start the container, and makes a folder of their own in this one.
RUN useradd --create-home --uid 1000 markscheme \
    && mkdir --mode 1777 /replies
USER 1000
WORKDIR /project
EXPOSE 8765
ENTRYPOINT ["markscheme"]
CMD ["--help"]

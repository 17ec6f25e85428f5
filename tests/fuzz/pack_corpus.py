"""Packs what the fuzzers found interesting, a file each, into one archive that the tests replay: the same bytes each time.

pack_corpus.py FOLDER ARCHIVE.zip
"""

import pathlib
import sys
import zipfile


def main():
    folder, archive = pathlib.Path(sys.argv[1]), sys.argv[2]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(folder.iterdir()):
            packed.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()

"""Builds the wheel with the standard library alone (PEP 517), so that nothing is downloaded."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The same sources make the same wheel."""


def setting(name):
    return re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.M).group(1)


def stem():
    return f"{setting('name').replace('-', '_')}-{setting('version')}"


def metadata():
    return (
        f"Metadata-Version: 2.1\nName: {setting('name')}\nVersion: {setting('version')}\n"
        f"Summary: {setting('description')}\nLicense: Apache-2.0\nRequires-Python: {setting('requires-python')}\n"
        "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text("utf-8")
    ).encode()


def sources():
    return sorted(one for one in (ROOT / "corridor").rglob("*") if one.is_file() and "__pycache__" not in one.parts)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{stem()}.dist-info"
    files = [(one.relative_to(ROOT).as_posix(), one.read_bytes()) for one in sources()]
    files += [
        (f"{info}/METADATA", metadata()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: corridor\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]
    record = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for name, data in files
    ]
    files.append((f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode()))
    name = f"{stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files:
            entry = zipfile.ZipInfo(path, FIXED_TIME)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"{stem()}.tar.gz"
    with tarfile.open(Path(sdist_directory, name), "w:gz") as archive:
        for one in [*sources(), *(ROOT / other for other in ("pyproject.toml", "wheel_backend.py", "README.md", "LICENSE"))]:
            archive.add(one, f"{stem()}/{one.relative_to(ROOT).as_posix()}")
        about = tarfile.TarInfo(f"{stem()}/PKG-INFO")
        about.size = len(metadata())
        archive.addfile(about, io.BytesIO(metadata()))
    return name

"""Examines the saved readings of language models: their size, and whether the file opens."""

from rarr.agent.wiring.resources import readings_path
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.errors import InputError
from rarr.retrievers.web.cache_file import CacheFile
from rarr.settings import Settings
from rarr.traces.store import on_disk


def readings(settings: Settings) -> Diagnosis:
    """Tells the size and the path of the file of saved answers of language models. It is not created."""
    if not settings.readings:
        return Diagnosis("readings", "ok", "no readings are kept: readings is false")
    path = readings_path(settings)
    try:
        if not path.exists():
            detail = f"{path} does not exist yet: the first reading of a language model makes it"
            return Diagnosis("readings", "ok", detail)
        CacheFile(path).close()
        size = f"{on_disk(path) / 1e6:.1f} MB, about {settings.readings_max_mb:g} MB at most"
        return Diagnosis("readings", "ok", f"{path} opens; {size}")
    except InputError as error:
        return Diagnosis("readings", "broken", str(error))
    except OSError as error:
        cure = "let it be read, or delete it, or set readings to false"
        return Diagnosis("readings", "broken", f"{path} cannot be read ({error.strerror})", cure)

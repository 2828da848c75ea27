"""One profile for all properties: no deadline, since the machine that runs them may be busy."""

from hypothesis import settings

settings.register_profile("testigo", deadline=None)
settings.load_profile("testigo")

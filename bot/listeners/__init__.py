"""What the bot hears: one module a surface, each with `register(app, services)`.

They claim and acknowledge, no more; the worker answers.
"""

"""Waits until windows have taken in everything that was sent to them. Reads the numbers of windows, a line each, and
answers each with a line once that window has followed.

It asks as window managers ask whether a program still answers: the answer comes behind all events before.
"""
import ctypes
import select
import sys

CLIENT_MESSAGE = 33
SUBSTRUCTURE_NOTIFY = 1 << 19
PATIENCE_SECONDS = 120


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("room", ctypes.c_long * 24)]


x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = x11.XInternAtom.restype = ctypes.c_ulong
for function in (x11.XDefaultRootWindow, x11.XFlush, x11.XPending, x11.XConnectionNumber):
    function.argtypes = [ctypes.c_void_p]
x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
x11.XSelectInput.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_long]
x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
x11.XNextEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
ON_ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)
x11.XSetErrorHandler(ON_ERROR)  # the window may be gone

display = x11.XOpenDisplay(None)
x11.XSelectInput(display, x11.XDefaultRootWindow(display), SUBSTRUCTURE_NOTIFY)
protocols = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
ping = x11.XInternAtom(display, b"_NET_WM_PING", 0)
for number, line in enumerate(sys.stdin, 1):
    window = int(line)
    asked = Event()
    asked.client = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=protocols, format=32)
    asked.client.data[:3] = [ping, number, window]
    x11.XSendEvent(display, window, 0, 0, ctypes.byref(asked))
    x11.XFlush(display)
    answer = Event()
    while answer.type != CLIENT_MESSAGE or answer.client.data[1] != number:
        if not x11.XPending(display) and not select.select([x11.XConnectionNumber(display)], [], [], PATIENCE_SECONDS)[0]:
            sys.exit("the window does not answer")
        x11.XNextEvent(display, ctypes.byref(answer))
    print("followed", flush=True)

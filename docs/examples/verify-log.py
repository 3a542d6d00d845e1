#!/usr/bin/env python3
"""Verifies lines of evidence (standard input, one event a line) by a checkpoint.

    claviger log --json | python3 verify-log.py CHECKPOINT-FILE VERIFIER-KEY

Needs PyNaCl, which Debian has as python3-nacl. Prints what holds; exits with 1 where something does not.
"""
import base64
import hashlib
import json
import sys

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def read_key(text):
    name, key_id, encoded = text.split("+", 2)
    key = base64.b64decode(encoded, validate=True)
    if key[0] != 1 or len(key) != 33 or sha256(name.encode(), b"\n", key)[:4].hex() != key_id:
        raise ValueError("this is no Ed25519 key of signed notes")
    return name, bytes.fromhex(key_id), VerifyKey(key[1:])


def open_checkpoint(note, key_text):
    """The number of events and the root, when the key has signed them."""
    name, key_id, key = read_key(key_text)
    text, _, signatures = note.rpartition("\n\n")
    text += "\n"
    for line in signatures.splitlines():
        dash, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded, validate=True)
        if dash == "\u2014" and signer == name and signature[:4] == key_id:
            key.verify(text.encode(), signature[4:])
            origin, size, root = text.split("\n")[:3]
            if origin != name:
                raise ValueError("the checkpoint is of another log")
            return int(size), base64.b64decode(root, validate=True)
    raise ValueError("the checkpoint is not signed by this key")


def root_of(lines):
    """RFC 6962, section 2.1, with the roots of full subtrees on a stack."""
    stack = []
    for count, line in enumerate(lines):
        node = sha256(b"\0", line)
        while count % 2 == 1:
            node = sha256(b"\1", stack.pop(), node)
            count //= 2
        stack.append(node)
    if not stack:
        return sha256()
    root = stack.pop()
    while stack:
        root = sha256(b"\1", stack.pop(), root)
    return root


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        size, root = open_checkpoint(file.read(), sys.argv[2])
    lines = sys.stdin.buffer.read().splitlines()
    if len(lines) < size:
        raise ValueError(f"the log has {len(lines)} events, the checkpoint has {size}")
    if root_of(lines[:size]) != root:
        raise ValueError(f"the first {size} events are not those of the checkpoint")
    last = json.loads(lines[size - 1])["position"] if size else "0"
    print(f"ok: {size} events, the last at {last}; {len(lines) - size} more are not covered")


try:
    main()
except (OSError, ValueError, BadSignatureError) as fault:
    sys.exit(f"FAULT: {fault}")

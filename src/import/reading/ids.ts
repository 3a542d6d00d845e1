import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isId } from '../../domain/values.js'
import type { Warn } from '../warning.js'

/**
 * An id for what has another name elsewhere, always the same for the same name: its first 51 characters, `-` for those
 * that an id cannot have, then `-` and 12 hexadecimal digits of its SHA-256.
 */
export const derivedId = (name: string): string => {
  const shown = name.slice(0, 51).replaceAll(/[^A-Za-z0-9._:@~-]/g, '-')
  const digits = bytesToHex(sha256(utf8ToBytes(name))).slice(0, 12)
  return `${shown.replace(/^[^A-Za-z0-9]+/, '') || 'x'}-${digits}`
}

/** A name as an id: itself where it is one, else derived from it. */
export const idFor = (name: string, path: string, warn: Warn): string => {
  if (isId(name)) return name
  warn('IdChanged', path)
  return derivedId(name)
}

/** The id that {@link idFor} gives, without a warning: for where something is only referred to. */
export const referredId = (name: string): string => (isId(name) ? name : derivedId(name))

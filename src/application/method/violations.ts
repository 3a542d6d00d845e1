import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { MAX_REPORTED } from '../../domain/values.js'
import type { Violation } from '../errors/errors.js'

// The default messages of zod, also in the exported schemas: in English, unless the host has set another language.
z.config({ localeError: z.config().localeError ?? en().localeError })

/** Longest part of the name of an unknown field that is reported, in UTF-16 units. */
export const LONGEST_NAME = 200

/** The first violations in an input, field by field; they name fields and never hold values. */
export const violationsOf = ({ issues }: z.core.$ZodError): readonly Violation[] =>
  issues
    .slice(0, MAX_REPORTED)
    .flatMap((issue) => violationsIn(issue))
    .slice(0, MAX_REPORTED)

const violationsIn = (issue: z.core.$ZodIssue): readonly Violation[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, MAX_REPORTED)
      .map((key) => ({ field: pathOf([...issue.path, key]), description: 'is not a known field' }))
  return [{ field: pathOf(issue.path), description: descriptionOf(issue) }]
}

const descriptionOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be an object' : issue.message

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((field, step) => {
    if (typeof step === 'number') return `${field}[${step}]`
    const name = String(step).slice(0, LONGEST_NAME).toWellFormed()
    return field === '' ? name : `${field}.${name}`
  }, '')

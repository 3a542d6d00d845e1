import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { MAX_REPORTED } from '../../domain/values.js'
import type { Violation } from '../errors/errors.js'

// For messages that are not ours, those of the exported schemas included: in English, unless the host chose
// another language before.
z.config({ localeError: z.config().localeError ?? en().localeError })

/** Longest name of an unknown field that is repeated, in UTF-16 units. */
export const LONGEST_NAME = 200

/** What is wrong with an input, field by field, as far as it is reported; names fields, never repeats values. */
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

import type { ObjectRef } from '../../../domain/values.js'

/** The types of objects that can be declared. */
export const DECLARED_TYPES = [
  'project',
  'project_role',
  'project_grant',
  'identity_provider',
] as const
export type DeclaredType = (typeof DECLARED_TYPES)[number]

/** Whether an object can be declared. */
export const isDeclared = ({ type }: Pick<ObjectRef, 'type'>): boolean =>
  DECLARED_TYPES.some((declared) => declared === type)

import { AddProjectRole, permissionsFromCaller, UpdateProject } from 'claviger'
import * as z from 'zod'
import { ORG_ID } from '../system.ts'
import { CONTEXT } from './claviger.ts'

// As fast as they can be, as in the library.
export const roleSchema = z.compile(AddProjectRole.shape.data)
export const projectSchema = z.compile(UpdateProject.shape.data)

/** The permission check of the library, for a peer. @throws when the caller lacks the permission */
export const permit = (permission: 'project.write' | 'project.role.write', id: string): void => {
  const question = {
    ...CONTEXT,
    permission,
    orgId: ORG_ID,
    object: { type: 'project', id },
  } as const
  if (!permissionsFromCaller(question)) throw new Error('not permitted')
}

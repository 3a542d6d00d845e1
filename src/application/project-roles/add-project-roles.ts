import { err, Result } from 'neverthrow'
import * as z from 'zod/mini'
import { jsonBytes } from '../../domain/encoding.js'
import { projectRole, projectRoles } from '../../domain/project-role/aggregate.js'
import {
  AddProjectRole,
  type ProjectRoleFieldsInput,
} from '../../domain/project-role/command-schemas.js'
import { listOf, onlyOnce, ProjectId } from '../../domain/values.js'
import { MAX_APPEND_BYTES } from '../../ports/event-store.js'
import { targetOf } from '../method/input.js'
import { type Write, write } from '../method/method.js'
import { change } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { missingContainer, specOf, writeObject } from '../writing/write-object.js'

/** Most roles that one call adds. With their project they are the most streams that one append writes. */
export const MAX_ROLES = 1000

/** The project and the keys of the added roles. */
export interface ProjectRolesIds {
  /** The `id` of the project. */
  readonly projectId: string
  /** In the order of the input. */
  readonly roleKeys: readonly string[]
}

/** A role to add. */
export interface NewRoleInput extends ProjectRoleFieldsInput {
  /**
   * The key that authorization checks use: 1 to 200 characters (code points), unique within the project. Compared code
   * point by code point, so case counts.
   */
  readonly roleKey: string
  /** 1 to 200 characters (code points). */
  readonly displayName: string
}

/** A role to add, and its project. */
export interface AddProjectRoleInput extends NewRoleInput {
  /** The `id` of the project; it must exist. */
  readonly projectId: string
}

/** One of several roles to add to one project. */
export const AddedRole = z.omit(AddProjectRole.shape.data, { projectId: true })
export interface AddedRole extends z.output<typeof AddedRole> {}

/** Most bytes of a role's event besides its fields: the id of the project. */
const PROJECT_ID_BYTES = 100

export const roleBytes = (role: AddedRole): number => PROJECT_ID_BYTES + jsonBytes(role)

/** 1 to 1,000 roles of one project, no key twice, that one append takes. */
export const AddProjectRolesInput = z.strictObject({
  projectId: ProjectId,
  roles: listOf(AddedRole, 1, MAX_ROLES).check(
    onlyOnce(({ roleKey }) => roleKey, ['roleKey']),
    z.refine((roles) => roles.reduce((sum, role) => sum + roleBytes(role), 0) <= MAX_APPEND_BYTES, {
      error: `must be at most ${MAX_APPEND_BYTES} bytes as JSON`,
      // A field that is too long has its own violation.
      when: ({ issues }) => issues.length === 0,
    }),
  ),
})
export interface AddProjectRolesInput {
  /** The `id` of the project; it must exist. */
  readonly projectId: string
  /** 1 to 1,000 roles, no key twice, of at most 4 MiB as JSON together. */
  readonly roles: readonly NewRoleInput[]
}

/** The method that adds several roles, all or none, and returns the details of the last. */
export const addProjectRoles = (runtime: Runtime): Write<AddProjectRolesInput, ProjectRolesIds> =>
  write(
    runtime,
    {
      ...specOf(projectRoles, {
        method: 'projectRoles.addMany',
        schema: AddProjectRolesInput,
        isNew: true,
      }),
      target: targetOf(projectRoles),
    },
    (call, input) => {
      const { projectId } = input
      return writeObject(runtime, call, {
        input,
        aggregate: projectRoles,
        decide: async (streams) => {
          const missing = await missingContainer(streams, projectRoles, input)
          if (missing) return err(missing)
          const decisions = input.roles.map(async (role) => {
            const data = { ...role, projectId }
            const before = await streams.read(projectRoles, data, { load: 'assume-empty' })
            return projectRole
              .decide({ type: 'AddProjectRole', data }, before.state)
              .map((events) => change(before, events))
          })
          return Result.combine(await Promise.all(decisions))
        },
        pathOf: (index) => `roles[${index}].`,
        ids: () => ({ projectId, roleKeys: input.roles.map(({ roleKey }) => roleKey) }),
      })
    },
  )

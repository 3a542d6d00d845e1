import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { IdpId, ProjectId, RoleKey } from '../domain/values.js'
import type { Permission } from '../ports/authorize.js'
import type { RefOf, Views, ViewType } from '../ports/read-model.js'
import { demandFed } from './demand-fed.js'
import { type Read, read } from './method.js'
import type { Runtime } from './runtime.js'
import { type Target, targetIdp, targetProject, targetProjectOfRole } from './target.js'

/** What tells the reads of one object apart by its type. */
interface Lookup<Type extends ViewType, Schema extends z.ZodMiniType> {
  readonly method: string
  readonly permission: Permission
  readonly schema: Schema
  readonly target: Target
  readonly ref: (input: z.output<Schema>) => RefOf<Type>
}

const get = <Type extends ViewType, Schema extends z.ZodMiniType>(
  runtime: Runtime,
  { method, permission, schema, target, ref }: Lookup<Type, Schema>,
): Read<z.input<Schema>, Views[Type]> =>
  read(runtime, { method, permissions: [permission], schema, target }, async (session, input) => {
    const object = ref(input)
    const found = await runtime.fresh.get<Type>(session, object)
    if (found) return ok(found)
    await demandFed(runtime, session)
    return err({ kind: 'NotFound', object })
  })

/** One identity provider, without its secret. */
export const getIdentityProvider = (runtime: Runtime) =>
  get<'identity_provider', typeof IdentityProviderInput>(runtime, {
    method: 'identityProviders.get',
    permission: 'identity_provider.read',
    schema: IdentityProviderInput,
    target: targetIdp,
    ref: ({ idpId }) => ({ type: 'identity_provider', idpId }),
  })

/** Names an identity provider. */
export const IdentityProviderInput = z.strictObject({ idpId: IdpId })

/** One project. */
export const getProject = (runtime: Runtime) =>
  get<'project', typeof ProjectInput>(runtime, {
    method: 'projects.get',
    permission: 'project.read',
    schema: ProjectInput,
    target: targetProject,
    ref: ({ id }) => ({ type: 'project', id }),
  })

const ProjectInput = z.strictObject({ id: ProjectId })

/** One role. */
export const getProjectRole = (runtime: Runtime) =>
  get<'project_role', typeof ProjectRoleInput>(runtime, {
    method: 'projectRoles.get',
    permission: 'project.role.read',
    schema: ProjectRoleInput,
    target: targetProjectOfRole,
    ref: ({ projectId, roleKey }) => ({ type: 'project_role', projectId, roleKey }),
  })

const ProjectRoleInput = z.strictObject({ projectId: ProjectId, roleKey: RoleKey })

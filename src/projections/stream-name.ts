import { identityProviderStream } from '../domain/identity-provider/events.js'
import { projectStream } from '../domain/project/events.js'
import { projectRoleStream } from '../domain/project-role/events.js'
import {
  IdpId,
  type ObjectRef,
  OrgId,
  ProjectId,
  RoleKey,
  type StreamId,
} from '../domain/values.js'

/** The object that a stream tells of, and the organization it belongs to. */
export interface NamedObject {
  readonly orgId: string
  readonly ref: ObjectRef
}

/** The stream of the object that `ref` names within the organization. */
export const streamOf = (orgId: string, ref: ObjectRef): StreamId => {
  switch (ref.type) {
    case 'identity_provider':
      return identityProviderStream(orgId, ref.idpId)
    case 'project':
      return projectStream(orgId, ref.id)
    case 'project_role':
      return projectRoleStream(orgId, ref.projectId, ref.roleKey)
  }
}

/** The part of `stream` that says which organization it belongs to; unchecked. */
export const organizationIn = (stream: StreamId): string => {
  const dash = stream.indexOf('-')
  const plus = stream.indexOf('+', dash + 1)
  return stream.slice(dash + 1, plus < 0 ? undefined : plus)
}

/** What `stream` is named after; undefined for a stream that the library would not name so. */
export const parseStreamName = (stream: string): NamedObject | undefined => {
  const [, category, orgId = '', rest = ''] = /^(\w+)-([^+]*)\+(.*)$/su.exec(stream) ?? []
  const ref = category === undefined ? undefined : parseObject(category, rest)
  return ref !== undefined && OrgId.safeParse(orgId).success ? { orgId, ref } : undefined
}

const parseObject = (category: string, rest: string): ObjectRef | undefined => {
  switch (category) {
    case 'identity_provider':
      return IdpId.safeParse(rest).success ? { type: category, idpId: rest } : undefined
    case 'project':
      return ProjectId.safeParse(rest).success ? { type: category, id: rest } : undefined
    case 'project_role':
      return parseRole(rest)
    default:
      return undefined
  }
}

/** An id holds no `+`, so the first one ends it; those that follow are part of the key. */
const parseRole = (rest: string): ObjectRef | undefined => {
  const [, projectId = '', roleKey = ''] = /^([^+]*)\+(.*)$/su.exec(rest) ?? []
  if (!ProjectId.safeParse(projectId).success || !RoleKey.safeParse(roleKey).success) return
  return { type: 'project_role', projectId, roleKey }
}

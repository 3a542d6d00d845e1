import { identityProviderStream } from '../domain/identity-provider/events.js'
import { projectStream } from '../domain/project/events.js'
import { projectRoleStream } from '../domain/project-role/events.js'
import type { ObjectRef, StreamId } from '../domain/values.js'

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

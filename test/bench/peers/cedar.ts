import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { grantOf, HELD_ROLE, isHeld, type Open, questionOf, ROLE_KEYS } from '../world.ts'

const POLICIES = 'claviger'

/** The groups that stand for the roles of a project. */
const groupOf = (projectId: string, roleKey: string) => ({
  type: 'Group',
  id: `${projectId}/${roleKey}`,
})

/** Cedar in WebAssembly with parsed policies; a call brings the user, with their groups, and the project. */
export const cedar: Open = async (place) => {
  const staticPolicies = ROLE_KEYS.map(
    (roleKey) =>
      `permit (principal, action == Action::"${roleKey}", resource) when { principal in resource.${roleKey} };`,
  ).join('\n')
  const parsed = preparsePolicySet(POLICIES, { staticPolicies })
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors))
  const groups = new Map<string, ReturnType<typeof groupOf>[]>()
  for (let index = 0; index < place.grants; index++) {
    const { userId, projectId } = grantOf(index)
    const group = groupOf(projectId, HELD_ROLE)
    groups.set(userId, [...(groups.get(userId) ?? []), group])
  }
  const can = (userId: string, projectId: string, roleKey: string): boolean => {
    const principal = { type: 'User', id: userId }
    const resource = { type: 'Project', id: projectId }
    const roles = ROLE_KEYS.map((key) => [key, { __entity: groupOf(projectId, key) }])
    const answer = statefulIsAuthorized({
      principal,
      action: { type: 'Action', id: roleKey },
      resource,
      context: {},
      preparsedPolicySetId: POLICIES,
      entities: [
        { uid: principal, attrs: {}, parents: groups.get(userId) ?? [] },
        { uid: resource, attrs: Object.fromEntries(roles), parents: [] },
      ],
    })
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors))
    return answer.response.decision === 'allow'
  }
  return {
    jobs: {
      check: {
        call: (index) => {
          const { userId, projectId, roleKey } = questionOf(index, place)
          return can(userId, projectId, roleKey) === isHeld(index)
        },
      },
    },
    close: async () => {},
  }
}

import { grantOf, HELD_ROLE, isHeld, type Open, ORG_ID, questionOf } from '../world.ts'

type Roles = Map<string, Map<string, Set<string>>>

/** A floor: what a check takes at least, with maps by organization, user and project. */
export const nestedMap: Open = async (place) => {
  const users: Roles = new Map()
  for (let index = 0; index < place.grants; index++) {
    const { userId, projectId } = grantOf(index)
    const projects = users.get(userId) ?? new Map<string, Set<string>>()
    users.set(userId, projects.set(projectId, new Set([HELD_ROLE])))
  }
  const organizations = new Map([[ORG_ID, users]])
  const can = (userId: string, projectId: string, roleKey: string) =>
    organizations.get(ORG_ID)?.get(userId)?.get(projectId)?.has(roleKey) ?? false
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

import { newEnforcer, newModelFromString } from 'casbin'
import { grantOf, HELD_ROLE, isHeld, type Open, questionOf, ROLE_KEYS } from '../world.ts'

const MODEL = `
[request_definition]
r = sub, dom, act
[policy_definition]
p = sub, act
[role_definition]
g = _, _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.act == p.act && g(r.sub, p.sub, r.dom)`

/** casbin with roles by domain: a policy for each role, a grouping for each grant, asked synchronously. */
export const casbin: Open = async (place) => {
  const enforcer = await newEnforcer(newModelFromString(MODEL))
  await enforcer.addPolicies(ROLE_KEYS.map((roleKey) => [roleKey, roleKey]))
  await enforcer.addGroupingPolicies(
    Array.from({ length: place.grants }, (_, index) => {
      const { userId, projectId } = grantOf(index)
      return [userId, HELD_ROLE, projectId]
    }),
  )
  return {
    jobs: {
      check: {
        call: (index) => {
          const { userId, projectId, roleKey } = questionOf(index, place)
          return enforcer.enforceSync(userId, projectId, roleKey) === isHeld(index)
        },
      },
    },
    close: async () => {},
  }
}

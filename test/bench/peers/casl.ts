import { AbilityBuilder, createMongoAbility, type MongoAbility, subject } from '@casl/ability'
import { grantOf, HELD_ROLE, isHeld, type Open, questionOf } from '../world.ts'

/** CASL with the ability of each user built beforehand, a rule for each grant. */
export const casl: Open = async (place) => {
  const builders = new Map<string, AbilityBuilder<MongoAbility>>()
  for (let index = 0; index < place.grants; index++) {
    const { userId, projectId } = grantOf(index)
    const builder = builders.get(userId) ?? new AbilityBuilder(createMongoAbility)
    builder.can(HELD_ROLE, 'Project', { id: projectId })
    builders.set(userId, builder)
  }
  const abilities = new Map([...builders].map(([userId, builder]) => [userId, builder.build()]))
  return {
    jobs: {
      check: {
        call: (index) => {
          const { userId, projectId, roleKey } = questionOf(index, place)
          const project = subject('Project', { id: projectId })
          return (abilities.get(userId)?.can(roleKey, project) ?? false) === isHeld(index)
        },
      },
    },
    close: async () => {},
  }
}

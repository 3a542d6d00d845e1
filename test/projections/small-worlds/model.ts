import { DatabaseSync } from 'node:sqlite'
import { PARTS, type SmallWorld, worldOf } from './worlds.js'

/**
 * Which roles count in each world, as `docs/concepts.md` and `docs/guides/grants.md` say, in SQL over the words of its
 * states. It knows no events and no generations, and shares no line with the library.
 */
const MODEL = `
WITH
  question AS (
    SELECT number, 'own' AS org, 'a' AS role, role_a AS role_state, own_provider AS provider,
      own_user AS user_grant, own_report AS report, 'active' AS permission, project, resource FROM world
    UNION ALL
    SELECT number, 'own', 'b', role_b, own_provider, own_user, own_report, 'active', project, resource FROM world
    UNION ALL
    SELECT number, 'other', 'a', role_a, other_provider, other_user, other_report, project_grant, project, resource FROM world
    UNION ALL
    SELECT number, 'other', 'b', role_b, other_provider, other_user, other_report,
      -- Only the role a was taken from the grant of the project.
      CASE WHEN project_grant IN ('without a', 'with a again') THEN 'active' ELSE project_grant END, project, resource FROM world
  ),
  open AS (
    SELECT * FROM question WHERE project = 'active' AND role_state = 'there' AND permission = 'active'
  ),
  counting AS (
    SELECT number, org, role, resource, 'grant' AS way FROM open WHERE user_grant = 'active'
    UNION ALL
    SELECT number, org, role, resource, 'group' FROM open WHERE provider = 'active' AND report = 'after'
  )
SELECT number || ' ' || org || ' ' || role || ' ' || resource || ' ' || way AS counts FROM counting ORDER BY 1`

/** A database with a row for each world. */
export const smallModel = (numbers: readonly number[]): ReadonlySet<string> => {
  using database = new DatabaseSync(':memory:')
  database.exec(`CREATE TABLE world (number INTEGER, ${PARTS.map((part) => `${part} TEXT`)})`)
  const insert = database.prepare(`INSERT INTO world VALUES (?, ${PARTS.map(() => '?')})`)
  database.exec('BEGIN')
  for (const number of numbers) {
    const world: SmallWorld = worldOf(number)
    insert.run(number, ...PARTS.map((part) => world[part]))
  }
  database.exec('COMMIT')
  return new Set(
    database
      .prepare(MODEL)
      .all()
      .map(({ counts }) => String(counts)),
  )
}

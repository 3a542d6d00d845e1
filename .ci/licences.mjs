// Holds the licences of what hosts install with us to a list, by the lock file: our dependencies, what
// our subpaths ask hosts to install beside us, and whatever those bring along.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ALLOWED = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8'))

/** What installing a package installs; our own optional peers are for our subpaths, so they count. */
const neededBy = (
  { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta },
  isOurs,
) => {
  const peers = Object.keys(peerDependencies ?? {})
  const installed = peers.filter((name) => isOurs || !peerDependenciesMeta?.[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...installed]
}

/** Where `name` is found from the package at `path`: in its own folder, or in one around it. */
const placeOf = (name, path) => {
  const place = `${path && `${path}/`}node_modules/${name}`
  if (place in lock.packages) return place
  if (path === '') throw new Error(`${name} is not in the lock file`)
  return placeOf(name, path.slice(0, path.lastIndexOf('node_modules/')).replace(/\/$/, ''))
}

const installed = new Set()
const visit = (path) => {
  for (const name of neededBy(lock.packages[path], path === '')) {
    const place = placeOf(name, path)
    if (installed.has(place)) continue
    installed.add(place)
    visit(place)
  }
}
visit('')

/** All of an `AND` or any of an `OR`; an expression with both is refused. */
const isAllowed = (license = '') => {
  const ids = license.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /)
  if (!license.includes(' OR ')) return ids.every((id) => ALLOWED.includes(id))
  return !license.includes(' AND ') && ids.some((id) => ALLOWED.includes(id))
}

const refused = [...installed].filter((path) => !isAllowed(lock.packages[path].license))
for (const path of refused) console.error(`${path}: ${lock.packages[path].license ?? 'no licence'}`)
console.log(`Licences: ${installed.size - refused.length} of ${installed.size} packages are fine`)
process.exitCode = installed.size > 0 && refused.length === 0 ? 0 : 1

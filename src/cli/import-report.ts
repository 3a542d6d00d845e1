import type { Imported, ImportWarning } from 'claviger/import'
import type { CommandCall } from './command.js'

/** Counts what was carried, and what was changed and left, by kind. */
const reportOf = ({ organizations, warnings }: Imported) => {
  const projects = organizations.flatMap(({ access }) => access.projects ?? [])
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
  const kinds = (action: ImportWarning['action']) => {
    const alike = Map.groupBy(
      warnings.filter((warning) => warning.action === action),
      ({ kind }) => kind,
    )
    return Object.fromEntries(
      [...alike].map(([kind, list]) => [kind, list.length + (list.at(-1)?.more ?? 0)]),
    )
  }
  return {
    carried: {
      organizations: new Set(organizations.map(({ orgId }) => orgId)).size,
      projects: projects.length,
      roles: total(projects.map(({ roles = [] }) => roles.length)),
      projectGrants: total(projects.map(({ grants = [] }) => grants.length)),
      identityProviders: total(
        organizations.map(({ access }) => access.identityProviders?.length ?? 0),
      ),
      roleMappings: total(projects.map(({ mappings = [] }) => mappings.length)),
      userGrants: total(organizations.map(({ userGrants }) => userGrants.length)),
    },
    changed: kinds('changed'),
    left: kinds('left'),
  }
}

export const printReport = async ({ values, terminal }: CommandCall, imported: Imported) => {
  const report = reportOf(imported)
  if (values['json']) return terminal.printJson({ report })
  const messages = new Map(imported.warnings.map(({ kind, message }) => [String(kind), message]))
  for (const [title, counts] of Object.entries(report)) {
    await terminal.print([{ bold: title }])
    const lines = Object.entries<number>(counts).map(([kind, count]) =>
      [`  ${String(count).padStart(7)}  ${kind}`, messages.get(kind)].filter(Boolean).join(': '),
    )
    await terminal.print(...(lines.length === 0 ? ['        0'] : lines))
  }
}

/** Most warnings of one kind that are shown as text; the rest are counted. */
const MAX_SHOWN = 20

export const printWarnings = async (
  { values, terminal }: CommandCall,
  warnings: readonly ImportWarning[],
): Promise<void> => {
  if (values['json']) {
    for (const warning of warnings) await terminal.printJson({ warning })
    return
  }
  for (const alike of Map.groupBy(warnings, ({ kind }) => kind).values()) {
    for (const { action, path, message } of alike.slice(0, MAX_SHOWN))
      await terminal.print(`${action} ${path}: ${message}`)
    const [first] = alike
    const more = alike.length - MAX_SHOWN + (alike.at(-1)?.more ?? 0)
    if (first && more > 0) await terminal.print(`${first.action} ${more} more: ${first.message}`)
  }
}

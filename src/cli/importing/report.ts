import { formatPlan, type GivenUserGrant, type ImportReport, type Plan, toJson } from 'claviger'
import type { ImportWarning } from 'claviger/import'
import { printable } from '../output/printable.js'
import type { CommandCall } from '../running/command.js'
import { explain } from '../running/explain.js'
import type { ComparedGrants } from './compare-grants.js'

type Terminal = CommandCall['terminal']

/** What an import tells an operator, as text or as lines of JSON. */
export interface Report {
  readonly warnings: (warnings: readonly ImportWarning[]) => Promise<void>
  readonly plan: (plan: Plan, grants: ComparedGrants) => Promise<void>
  readonly result: (
    plan: Plan,
    rows: readonly GivenUserGrant[],
    imported: ImportReport,
  ) => Promise<void>
}

/** Most warnings of one kind that are shown as text; all are counted. */
const MOST_SHOWN = 20

/** @see Report */
export const openReport = (terminal: Terminal, isJson: boolean): Report =>
  isJson ? inJson(terminal) : asText(terminal)

const inJson = ({ print }: Terminal): Report => ({
  warnings: async (warnings) => {
    for (const warning of warnings) await print(JSON.stringify({ warning }))
  },
  plan: async ({ desired: _, changes, ...plan }, userGrants) => {
    // What is shown is applied by this very run: sealed secrets, in the events too, are for nobody.
    const shown = changes.map(({ action, object, fields }) => ({ action, object, fields }))
    await print(JSON.stringify({ plan: toJson({ ...plan, changes: shown }), userGrants }))
  },
  result: async ({ orgId, counts }, _, imported) =>
    print(JSON.stringify({ applied: { orgId, counts, userGrants: toJson(imported) } })),
})

const asText = ({ print, bold }: Terminal): Report => ({
  warnings: async (warnings) => {
    for (const alike of Map.groupBy(warnings, ({ kind }) => kind).values()) {
      for (const { action, path, message } of alike.slice(0, MOST_SHOWN))
        await print(`${action} ${printable(path)}: ${message}`)
      const [first] = alike
      if (first && alike.length > MOST_SHOWN)
        await print(`${first.action} ${alike.length - MOST_SHOWN} more: ${first.message}`)
    }
  },
  plan: async (plan, { missing, different, equal }) => {
    await print(bold(`organization ${plan.orgId}`))
    await print(formatPlan(plan))
    await print(`user grants: ${missing} to add, ${different} different, ${equal} unchanged`)
  },
  result: async ({ orgId, counts: { add, update } }, rows, imported) => {
    const { added, unchanged, refused, refusedCount } = imported
    await print(
      `${orgId}: ${add} added, ${update} updated; user grants: ${added} added, ${unchanged} unchanged, ${refusedCount} refused`,
    )
    for (const { index, error } of refused) {
      const { userId = '', projectId = '' } = rows[index] ?? {}
      await print(printable(`refused ${userId} in ${projectId}: ${explain(error)}`))
    }
  },
})

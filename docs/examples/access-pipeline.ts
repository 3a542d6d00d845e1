// Plans and applies the desired state in a pipeline, with a review in between:
//   node access-pipeline.ts plan iam.db plan.json     exits with 0: no changes, 2: changes pending
//   node access-pipeline.ts apply iam.db plan.json    exits with 0: applied
// Both exit with 1 on failure. apply also fails if something has changed since the plan.
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  aesGcmCipher,
  createIam,
  formatPlan,
  type Iam,
  type IamError,
  permissionsFromCaller,
  toStatus,
} from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { access, deployment } from './access.ts'

const DONE = 0
const FAILED = 1
const PENDING = 2

const failed = (error: IamError): number => {
  console.error(JSON.stringify(toStatus(error), null, 2))
  return FAILED
}

const plan = async (iam: Iam, planFile: string): Promise<number> => {
  const planned = await iam.plan(access, deployment)
  if (planned.isErr()) return failed(planned.error)
  console.log(formatPlan(planned.value))
  // Its secrets are encrypted. Still, only the pipeline should read it.
  await writeFile(planFile, JSON.stringify(planned.value), { mode: 0o600 })
  const { add, update, remove } = planned.value.counts
  return add + update + remove === 0 ? DONE : PENDING
}

const apply = async (iam: Iam, planFile: string): Promise<number> => {
  const applied = await iam.apply(JSON.parse(await readFile(planFile, 'utf8')), deployment)
  if (applied.isErr()) return failed(applied.error)
  console.log(formatPlan(applied.value))
  return DONE
}

/** @returns the exit code */
export const main = async ([command, database, planFile]: readonly string[]): Promise<number> => {
  const { IAM_KEY } = process.env
  const step = command === 'plan' ? plan : command === 'apply' ? apply : undefined
  if (!step || !database || !planFile || !IAM_KEY) {
    console.error('Usage: IAM_KEY=<32 bytes, base64> access-pipeline plan|apply <database> <plan>')
    return FAILED
  }
  // Without the read model of SQLite: a pipeline reads little.
  const { store, close } = openSqlite(database)
  const iam = createIam({
    store,
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: Buffer.from(IAM_KEY, 'base64') } }),
    authorize: permissionsFromCaller,
  })
  try {
    return await step(iam, planFile)
  } finally {
    await close()
  }
}

// Not when it is imported. realpath, because it may be started by a symbolic link.
const [, started = ''] = process.argv
if ((await realpath(started)) === fileURLToPath(import.meta.url))
  process.exitCode = await main(process.argv.slice(2))

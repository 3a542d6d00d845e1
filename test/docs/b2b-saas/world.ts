import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startPostgres } from '../../postgres-server.js'
import { runFolder } from '../../run-folder.js'
import { newBrowser, ORIGIN, SESSION, type Sending } from './browser.js'
import { CLIENT_ID, secretOf } from './identity-provider.js'
import {
  copyReleases,
  type DatabaseKind,
  migrate,
  type Running,
  startProcess,
} from './instances.js'

const key = () => randomBytes(32).toString('base64')

/** A database of the product, its DNS, and the instances that run. */
export const openWorld = async (kind: DatabaseKind) => {
  const folder = mkdtempSync(join(runFolder() ?? tmpdir(), 'b2b-saas-'))
  const postgres =
    kind === 'PostgreSQL' ? await startPostgres({ settings: ['fsync=off'] }) : undefined
  const records = new Map<string, string>()
  const dns = createServer(({ url = '' }, response) => {
    response.end(records.get(url.slice(1)) ?? 'v=spf1 -all')
  }).listen(0, '127.0.0.1')
  await once(dns, 'listening')
  const environment = {
    DATABASE_URL: postgres?.connectionString ?? '',
    TXT_RECORDS: `http://127.0.0.1:${(dns.address() as AddressInfo).port}/`,
    ORIGIN,
    IAM_KEY: key(),
    SIGN_IN_KEY: key(),
    AUTH_SECRET: key(),
    OPERATOR_TOKEN: 'operator',
  }
  const releases = copyReleases(kind)
  const instances: Running[] = []
  /** Whatever a browser was shown. */
  const shown: string[] = []

  /** Runs a statement on the tables of claviger. */
  const inDatabase = async (table: string, statement: (table: string) => string) => {
    if (postgres) {
      const pool = new pg.Pool({ connectionString: postgres.connectionString })
      const { rows } = await pool.query(statement(`claviger.${table}`))
      await pool.end()
      return rows
    }
    const file = new DatabaseSync(join(folder, 'iam.db'), { timeout: 10_000 })
    const rows = file.prepare(statement(table)).all()
    file.close()
    return rows
  }

  return {
    records,
    instances,
    shown,
    browser: () => newBrowser(shown),
    url: (instance: number): string => instances[instance]?.url ?? '',
    /** Migrates, as each release does. Replaces the instances that were there before, which have ended. */
    start: async (...started: readonly (keyof typeof releases)[]): Promise<void> => {
      for (const release of new Set(started))
        await migrate({ folder: releases[release], cwd: folder, environment })
      const all = started.map((release) =>
        startProcess({ folder: releases[release], cwd: folder, environment }),
      )
      instances.splice(0, Infinity, ...(await Promise.all(all)))
    },
    killAll: () => Promise.all(instances.map(({ kill }) => kill())),
    /** As if so much time had passed: what an instance had to itself when it was killed is free. */
    endLeases: () => inDatabase('webhook_cursor', (table) => `UPDATE ${table} SET holder = NULL`),
    /** Secrets of providers, as the log keeps them. */
    sealedSecrets: async (): Promise<readonly string[]> => {
      const rows = await inDatabase(
        'events',
        (table) => `SELECT data FROM ${table} WHERE type LIKE 'identity_provider.%'`,
      )
      return rows.flatMap(({ data }) => {
        const { clientSecret } = typeof data === 'string' ? JSON.parse(data) : Object(data)
        return typeof clientSecret === 'string' ? [clientSecret] : []
      })
    },
    close: async () => {
      await Promise.all(instances.map(({ kill }) => kill()))
      dns.close()
      dns.closeAllConnections()
      await postgres?.[Symbol.asyncDispose]()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Adds a customer, as an operator does; answers how a program calls with the customer's set-up link. */
export const addCustomer = async ({ url, browser }: World, customer: object) => {
  const { status, body } = await browser().send('POST', `${url(0)}/operator/customers`, {
    body: customer,
    headers: { authorization: 'Bearer operator' },
  })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  const [, token = ''] = String(body.setUpLink).split(`${ORIGIN}/set-up/#`)
  return async (line: string, { body, headers }: Sending = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const bearer = { authorization: `Bearer ${token}`, ...headers }
    return browser().send(method, `${url(0)}/set-up/api/v1${path}`, {
      ...(body && { body }),
      headers: bearer,
    })
  }
}

export type Link = Awaited<ReturnType<typeof addCustomer>>

/** What the customer's IT does behind the link: provider, group and domain. `login` tries the provider. */
export const setUp = async (
  { records, browser, url }: World,
  link: Link,
  given: { id: string; issuer: string; autoRegister: boolean; login: string },
): Promise<void> => {
  const { id, issuer, autoRegister, login } = given
  const oidc = { name: `Sign-in of ${id}`, issuer, clientId: CLIENT_ID, clientSecret: secretOf(id) }
  const scopes = ['openid', 'email', 'profile']
  const domain = `${id}.example`
  const done = async (line: string, body?: object) => {
    const answer = await link(line, body && { body })
    if (answer.status !== 200) throw new Error(`${line}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await done('POST /idps/oidc', { idpId: 'sso', ...oidc, scopes, autoRegister })
  const mapping = { idpId: 'sso', group: 'finance', projectId: 'invoicing', roleKeys: ['viewer'] }
  await done('POST /roleMappings', mapping)
  const { challenge } = await done('POST /domains', { domain })
  records.set(`_claviger-challenge.${domain}`, challenge)
  await done(`POST /domains/${domain}:verify`)
  await switchOn(link, async () => {
    const tried = browser()
    const { status, body } = await tried.signIn(`${id}/sso`, login, [url(0), url(1)])
    if (status !== 200 || tried.cookies.has(SESSION))
      throw new Error(`A draft answers ${status}: ${body}`)
  })
  await done(`PUT /domains/${domain}/provider`, { idpId: 'sso' })
}

/** A draft opens for nobody until it has passed its test, and then a sign-in. */
const switchOn = async (link: Link, signIn: () => Promise<void>): Promise<void> => {
  const reactivate = async (expected: number): Promise<void> => {
    const { status, body } = await link('POST /idps/sso:reactivate')
    if (status !== expected) throw new Error(`${status}: ${JSON.stringify(body)}`)
  }
  await reactivate(403)
  const { status, body } = await link('POST /idps/sso:test')
  const failed = body.checks?.some(
    ({ verdict }: { readonly verdict: string }) => verdict === 'failed',
  )
  if (status !== 200 || failed) throw new Error(`${status}: ${JSON.stringify(body)}`)
  await reactivate(403)
  await signIn()
  await reactivate(200)
}

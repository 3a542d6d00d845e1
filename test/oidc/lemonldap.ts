import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const PORTAL = '/usr/share/lemonldap-ng/portal'
const NGINX = '/usr/sbin/nginx'

/** In CI there must be one; elsewhere its tests are left out, and loudly so. */
export const hasLemonldap = (): boolean => {
  const isThere = existsSync(`${PORTAL}/htdocs/index.psgi`) || process.env['CI'] !== undefined
  if (!isThere) process.stderr.write('\n*** NOT TESTED: there is no LemonLDAP::NG. ***\n\n')
  return isThere
}

/** What a portal knows of its client. */
export interface PortalClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** Who is in which group: by rules in Perl, such as `$uid eq "dwho"`. */
export type PortalGroups =
  | {
      /** A rule by group, beside the groups that the demo accounts have anyhow. */
      readonly rules: Readonly<Record<string, string>>
    }
  | {
      /** The only group of a user, or the empty text. */
      readonly only: string
    }

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * LemonLDAP::NG of Debian behind nginx, as an OpenID provider with its demo accounts: dwho, rtyler and msmith, each with
 * the name as password. It serves once it is configured.
 */
export const startLemonldap = async (client: PortalClient) => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-lemonldap-'))
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  for (const each of ['conf', 'sessions', 'sessions/lock', 'cache', 'nginx'])
    mkdirSync(join(folder, each))
  writeFileSync(join(folder, 'lemonldap-ng.ini'), ini(folder))
  writeFileSync(join(folder, 'nginx.conf'), nginxConf(folder, port))

  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const keys = { privateKey, publicKey }
  let number = 0
  let portal: ChildProcess | undefined
  const configure = async (groups: PortalGroups): Promise<void> => {
    await end(portal)
    number++
    const configuration = { number, folder, issuer, keys, client, groups }
    const file = join(folder, 'conf', `lmConf-${number}.json`)
    writeFileSync(file, JSON.stringify(confOf(configuration)))
    rmSync(join(folder, 'cache'), { recursive: true })
    mkdirSync(join(folder, 'cache'))
    const socket = join(folder, 'portal.sock')
    const program = `${PORTAL}/htdocs/index.psgi`
    portal = started(
      'plackup',
      ['-E', 'deployment', '-s', 'FCGI', '--listen', socket, '--nproc', '2', program],
      {
        LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini'),
        LLNG_DEFAULTLOGGER: 'Lemonldap::NG::Common::Logger::Std',
      },
    )
    await serves(`${issuer}/.well-known/openid-configuration`)
  }

  const nginx = started(NGINX, ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')])
  const close = async (): Promise<void> => {
    await end(portal)
    await end(nginx)
    rmSync(folder, { recursive: true, force: true })
  }
  return { issuer, configure, close }
}

const started = (program: string, parameters: string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(program, parameters, {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })

const end = async (child: ChildProcess | undefined): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** Waits until `url` answers with success; the test's own time limit ends it. */
const serves = async (url: string): Promise<void> => {
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await setTimeout(50)
}

const ini = (folder: string): string => `[all]
logLevel = error
[configuration]
type = File
dirName = ${folder}/conf
localStorage = Cache::FileCache
localStorageOptions = {'namespace' => 'config', 'default_expires_in' => 1, 'cache_root' => '${folder}/cache'}
[portal]
staticPrefix = /static
templateDir = ${PORTAL}/templates
languages = en
[handler]
`

const nginxConf = (folder: string, port: number): string => `daemon off;
master_process off;
pid ${folder}/nginx/nginx.pid;
events {}
http {
  include /etc/nginx/mime.types;
  access_log off;
  error_log stderr emerg;
  client_body_temp_path ${folder}/nginx/body;
  fastcgi_temp_path ${folder}/nginx/fastcgi;
  proxy_temp_path ${folder}/nginx/proxy;
  scgi_temp_path ${folder}/nginx/scgi;
  uwsgi_temp_path ${folder}/nginx/uwsgi;
  server {
    listen 127.0.0.1:${port};
    server_name 127.0.0.1;
    location /static/ { alias ${PORTAL}/htdocs/static/; }
    location /javascript/ { alias /usr/share/javascript/; }
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_NAME "";
      fastcgi_param PATH_INFO $uri;
      fastcgi_pass unix:${folder}/portal.sock;
    }
  }
}
`

interface Configuration {
  readonly number: number
  readonly folder: string
  readonly issuer: string
  readonly keys: { readonly privateKey: string; readonly publicKey: string }
  readonly client: PortalClient
  readonly groups: PortalGroups
}

const confOf = ({ number, folder, issuer, keys, client, groups }: Configuration) => {
  const [rules, only] = 'rules' in groups ? [groups.rules, '""'] : [{}, groups.only]
  const sessions = {
    Directory: `${folder}/sessions`,
    LockDirectory: `${folder}/sessions/lock`,
    generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
  }
  return {
    cfgNum: number,
    cfgVersion: '2.16.1',
    cfgDate: 1_700_000_000,
    cfgAuthor: 'claviger',
    portal: `${issuer}/`,
    domain: '127.0.0.1',
    cookieName: 'lemonldap',
    securedCookie: 0,
    key: 'a key of this test alone',
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Null',
    requireToken: 0,
    // No captcha is asked for, but a module is loaded; that of the default needs more programs.
    captcha: '::UserDB::Null',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: sessions,
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: sessions,
    localSessionStorage: 'Cache::FileCache',
    localSessionStorageOptions: {
      namespace: 'sessions',
      default_expires_in: 1,
      cache_root: `${folder}/cache`,
    },
    locationRules: { '127.0.0.1': { default: 'accept' } },
    exportedHeaders: {},
    groups: rules,
    whatToTrace: '_whatToTrace',
    macros: { _whatToTrace: 'lc($_user)', only },
    multiValuesSeparator: '; ',
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: issuer,
    oidcServicePrivateKeySig: keys.privateKey,
    oidcServicePublicKeySig: keys.publicKey,
    oidcServiceKeyIdSig: 'test',
    oidcRPMetaDataOptions: {
      claviger: {
        oidcRPMetaDataOptionsClientID: client.clientId,
        oidcRPMetaDataOptionsClientSecret: client.clientSecret,
        oidcRPMetaDataOptionsRedirectUris: client.redirectUri,
        oidcRPMetaDataOptionsBypassConsent: 1,
        oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
        oidcRPMetaDataOptionsIDTokenExpiration: 3_600,
        oidcRPMetaDataOptionsAccessTokenExpiration: 3_600,
        oidcRPMetaDataOptionsUserIDAttr: 'uid',
      },
    },
    oidcRPMetaDataExportedVars: {
      claviger: { email: 'mail', name: 'cn', groups: 'rules' in groups ? 'groups' : 'only' },
    },
    oidcRPMetaDataOptionsExtraClaims: { claviger: { groups: 'groups' } },
  }
}

export { castore } from './castore.ts'
export { emmett } from './emmett.ts'
export { emmettSqlite, isEmmettSqliteInstalled } from './emmett-sqlite.ts'
export { equinox, guardedEquinox } from './equinox.ts'

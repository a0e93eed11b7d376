// Whether an error says that the database is away, so that trying again later makes sense.
import pg from 'pg'

// Class 08, 57P0x, 53300, 25006 (a server that was primary a moment ago): away, or without room for us now.
const awayStates = /^(08...|57P0\d|53...|25006)$/
const awaySockets = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT)$/
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|server closed the connection/

const ofDatabase = new WeakSet<Error>()

/** Notes that an error is of a connection to the database; those of its sockets look like any other's. */
export function noteOfDatabase(error: Error): void {
  ofDatabase.add(error)
}

/** For an error of which it is not known whether it is of the database. */
export function saysDatabaseAway(error: unknown): error is Error {
  return error instanceof Error && isAway(error, ofDatabase.has(error))
}

/** For an error of work that uses nothing outside but the database: each of a socket counts. */
export function isDatabaseAway(error: unknown): error is Error {
  return error instanceof Error && isAway(error, true)
}

function isAway(error: Error, countsSockets: boolean): boolean {
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '')
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const isOfSocket = /^(connect|read|write)$/.test(syscall) && awaySockets.test(code)
  return (countsSockets && isOfSocket) || awayMessages.test(error.message)
}

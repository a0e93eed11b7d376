import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Seconds of processor time that a process has used; 0 where there is no /proc. */
export function processSeconds(pid: number): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return 0
  // After the name in brackets, at 11 and 12: user and system time.
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Seconds of processor time that PostgreSQL's processes have used; 0 where there is no /proc. */
export function databaseSeconds(postmasterPid: number): number {
  let ticks = 0
  for (const name of existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      // After the name in brackets: state, parent, …, and at 12 and 13 from there user and system time.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      if (Number(fields[1]) === postmasterPid) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process ended between the listing and the reading.
      continue
    }
  }
  return ticks / 100
}

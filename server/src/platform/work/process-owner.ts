// Names this process so that another on the same machine can tell whether it still runs.
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** A name for an owner of leases; two of one process differ. */
export function nameOwner(): string {
  return `${place()}|${process.pid}|${randomUUID()}`
}

/**
 * Whether the process behind an owner's name is surely gone: the same start of the same machine, the same space of
 * process ids (a container has its own), and no such process. Where that cannot be known, the answer is false.
 */
export function isGone(owner: string): boolean {
  const [where, pid] = owner.split('|')
  const known = place()
  if (known === '' || where !== known || !/^\d+$/.test(pid ?? '')) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Empty where the system does not tell (it is Linux that does). */
function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Not Linux: leases of a killed process run out by themselves.
    return ''
  }
}

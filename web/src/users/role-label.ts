import type { Role } from '@tollgate/contract/vocabulary.ts'

const words: Record<Role, string> = { admin: 'Admin', support: 'Support', user: 'User', test: 'Test' }

/** Spec §2: 'Logged in as: <Role>'. */
export function roleLabel(role: Role): string {
  return words[role]
}

import type { Role } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

const words: Record<Role, string> = {
  admin: t('Admin'),
  support: t('Support'),
  user: t('User'),
  test: t('Test'),
}

/** Spec §2: 'Logged in as: <Role>'. */
export function roleLabel(role: Role): string {
  return words[role]
}

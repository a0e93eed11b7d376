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

const plainWords: Record<Role, string> = {
  admin: t('admin'),
  support: t('support'),
  user: t('user'),
  test: t('test'),
}

/** Spec §2, Users Management: the roles of filters, forms and menus, in small letters. */
export function roleWord(role: Role): string {
  return plainWords[role]
}

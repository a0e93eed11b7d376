import type { Role } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

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

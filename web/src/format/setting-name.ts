import { settingNames } from '@tollgate/contract/settings/setting-names.ts'
import { t } from '../language/t.ts'

/** The name of a setting in the language of the reader. */
export function settingName(key: string): string {
  return t(settingNames[key] ?? key.replaceAll('_', ' '))
}

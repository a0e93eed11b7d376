// Time zones to choose from, by the names that the IANA database has for them. Browsers list some by older ones.
import { isTimeZone } from '@tollgate/contract/zones.ts'

const newNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** `current` stays selectable whatever it is. */
export function zoneOptions(current: string): readonly { value: string; label: string }[] {
  const listed = Intl.supportedValuesOf('timeZone').map((name) => {
    const newName = newNames[name]
    return newName !== undefined && isTimeZone(newName) ? newName : name
  })
  return [...new Set(['UTC', ...(current === '' ? [] : [current]), ...listed.toSorted()])].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }))
}

// §4.2 unbind, §4.3 generic_nack, §4.11 enquire_link: a header and nothing else.
import { definePdu } from './define.ts'

export const unbind = definePdu('unbind', {})
export const unbindResp = definePdu('unbind_resp', {})
export const enquireLink = definePdu('enquire_link', {})
export const enquireLinkResp = definePdu('enquire_link_resp', {})
export const genericNack = definePdu('generic_nack', {})

// Entry of the terms slice: what a client may do and when it is paid, set by people as trust grows.
export { createTerms, type ClientTermsSlice } from './create-terms.ts'
export type { DefaultTerms } from './settings.ts'
export { termsInForce } from './terms-in-force.ts'

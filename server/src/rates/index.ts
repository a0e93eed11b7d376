// Front door of the rates slice.
export { loadPricing, type Pricing } from './pricing.ts'

// Front door of the numbers slice: the traffic gate, and the catalog that prices messages.
export { changeCatalog, trafficGateKey, type CatalogChange } from './change-catalog.ts'
export { Catalog, loadCatalog } from './catalog/catalog.ts'
export { rateAt, type CatalogEntry, type Rate } from './catalog/entry.ts'

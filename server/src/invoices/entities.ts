// Legal entities: who is named on invoices. Each save is kept, with who made it; invoices that were issued keep theirs.
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { LegalEntity, legalEntityInputSchema } from '@tollgate/contract/invoices/invoices.ts'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { openPdf } from '../files/formats/pdf.ts'
import type { Caller } from '../http/handlers.ts'
import { lock } from '../platform/locks/locks.ts'
import { checkVersion } from '../platform/refusals.ts'
import { transaction } from '../platform/transaction.ts'
import { type BillingDeps, unsetInvoices } from '../billing/index.ts'
import {
  findEntity,
  hasUser,
  insertEntity,
  type EntityOwner,
  type EntityParty,
  type EntityRow,
} from './entity-store.ts'

type EntityInput = z.output<typeof legalEntityInputSchema>

/** The legal entity in force; empty fields before the first save. Throws Refusal not_found for an unknown user. */
export async function readEntity({ db }: Pick<BillingDeps, 'db'>, owner: EntityOwner): Promise<LegalEntity> {
  const found = await findEntity(db, owner)
  if (found !== undefined) return toEntity(found)
  await requireOwner({ db }, owner)
  return noEntity
}

/**
 * Saves a legal entity. A client's first one lets the invoices of earlier periods be issued. Throws Refusal invalid where
 * invoices could not print it, stale when somebody saved in the meantime, and not_found.
 */
export async function saveEntity(
  deps: BillingDeps,
  owner: EntityOwner,
  input: EntityInput,
  { actor, ip }: Caller,
): Promise<LegalEntity> {
  const { db, clock, audit } = deps
  await refuseUnprintable(input)
  return transaction(db, async (tx) => {
    await requireOwner({ db: tx }, owner)
    await lock(tx, 'legalEntities')
    const before = await findEntity(tx, owner)
    checkVersion(input.version, before?.id ?? 0)
    // A job that issues invoices at this moment would not see this entity, and would mark the cycle as done.
    if (before === undefined) await lock(tx, 'invoiceNumbers')
    await insertEntity(tx, owner, toParty(input), { userId: actor.userId, at: clock.now() })
    if (before === undefined && owner !== 'own') await unsetInvoices(tx, owner)
    const after = await findEntity(tx, owner)
    if (after === undefined) throw new Error('The legal entity did not come back')
    await audit.record(tx, {
      actor,
      ip,
      action: 'legal_entity.change',
      ...(owner === 'own'
        ? { objectType: 'legal_entity', objectId: 'own' }
        : { objectType: 'user', objectId: String(owner) }),
      ...(before !== undefined && { before: toEntity(before) }),
      after: toEntity(after),
    })
    return toEntity(after)
  })
}

async function requireOwner({ db }: Pick<BillingDeps, 'db'>, owner: EntityOwner): Promise<void> {
  if (owner !== 'own' && !(await hasUser(db, owner))) throw new Refusal('not_found', 'There is no such user.')
}

/** Throws Refusal invalid: an invoice with boxes in place of a name would name nobody. */
async function refuseUnprintable(input: EntityInput): Promise<void> {
  const pdf = await openPdf('Legal entity')
  const missing = (...texts: string[]) =>
    [...new Set(texts.join(''))]
      .filter((character) => !pdf.canWrite(character))
      .slice(0, 10)
      .join(' ')
  const refuse = (field: keyof EntityInput, message: Sentence) =>
    new Refusal('invalid', message, { fields: { [field]: message } })
  for (const field of ['latinName', 'latinAddressLines', 'taxNumber'] as const) {
    const letters = missing(...[input[field]].flat())
    if (letters !== '')
      throw refuse(
        field,
        sentence('Invoices cannot print {letters}. Write it in Latin letters.', { letters }),
      )
  }
  const name = missing(input.legalName)
  if (name !== '' && input.latinName === '')
    throw refuse(
      'latinName',
      sentence('Invoices cannot print {letters}. Enter the name in Latin letters as well.', {
        letters: name,
      }),
    )
  const address = missing(...input.addressLines)
  if (address !== '' && input.latinAddressLines.length === 0)
    throw refuse(
      'latinAddressLines',
      sentence('Invoices cannot print {letters}. Enter the address in Latin letters as well.', {
        letters: address,
      }),
    )
}

const toParty = (input: EntityInput): EntityParty => ({
  legal_name: input.legalName,
  address_lines: input.addressLines,
  country: input.country,
  tax_number: input.taxNumber,
  latin_name: input.latinName,
  latin_address_lines: input.latinAddressLines,
})

const noEntity: LegalEntity = {
  legalName: '',
  addressLines: [],
  country: '',
  taxNumber: '',
  latinName: '',
  latinAddressLines: [],
  version: 0,
  savedBy: '',
  savedAt: null,
}

function toEntity(entity: EntityRow): LegalEntity {
  return {
    legalName: entity.legal_name,
    addressLines: [...entity.address_lines],
    country: entity.country,
    taxNumber: entity.tax_number,
    latinName: entity.latin_name,
    latinAddressLines: [...entity.latin_address_lines],
    version: entity.id,
    savedBy: entity.saved_by,
    savedAt: entity.saved_at.toISOString(),
  }
}

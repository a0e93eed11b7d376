// Numbers, their ranges and requests, and rates.
import {
  admin,
  client,
  each,
  next,
  secondAdmin,
  support,
  withId,
  type Fixture,
  type Fixtures,
} from './fixture.ts'
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

export const numberFixtures = (environment: ExamplesEnvironment): Fixtures => ({
  ...ofNumbers(environment),
  ...ofRanges(environment),
  ...ofRequests(environment),
  ...ofRates(environment),
})

const idsOf = async (fixture: () => Promise<Fixture>) => ({
  body: { ids: [(await fixture()).params?.['id']] },
})

function ofNumbers({ db, done }: ExamplesEnvironment): Fixtures {
  const number = async () =>
    (await done(support, 'POST', '/api/premium-numbers', { number: String(449_700_000_000 + next()) })).id
  const ofNumber = async () => withId(await number())
  /** A filter that one number alone matches. */
  const alone = async () => {
    const search = String(449_400_000_000 + next())
    await done(support, 'POST', '/api/premium-numbers', { number: search })
    return { filter: { search }, count: 1 }
  }
  const assigned = async () => {
    const id = await number()
    await done(support, 'PUT', `/api/number-inventory/${id}/assign`, { userId: 1 })
    return withId(id)
  }
  const ownNumber = async () => {
    return withId(await idFrom(db)`select id from numbers where holder_id = 1 order by id limit 1`)
  }
  const imported = async () => {
    const data = `Number,Description,Rate,Status,Country,Country Code\n${449_600_000_000 + next()},Vote,,active,,`
    const { importId } = await done<{ importId: string }>(support, 'POST', '/api/premium-numbers/import', {
      data,
    })
    return withId(importId)
  }
  return {
    previewBackdating: async () => ({ query: { numberId: await number() } }),
    ...each(['getAccountNumber', 'listNumberPrices'], ownNumber),
    ...each(['replacePremiumNumber', 'deletePremiumNumber'], ofNumber),
    ...each(['editInventoryItem', 'assignNumber', 'suspendNumber'], ofNumber),
    ...each(['bulkSetNumberStatus', 'bulkAssignNumbers'], () => idsOf(ofNumber)),
    ...each(['getNumberImport', 'undoNumberImport'], imported),
    cancelScheduledPrice: async () => {
      const planted = await ofNumber()
      const body = { pricePerSms: '0.06', startsAt: new Date(Date.now() + 40 * 86_400_000).toISOString() }
      await done(support, 'PUT', `/api/number-inventory/${planted.params?.['id']}`, body)
      return planted
    },
    unassignNumber: assigned,
    setMatchingNumberStatus: async () => ({ body: { ...(await alone()), status: 'inactive' } }),
    assignMatchingNumbers: async () => ({ body: { ...(await alone()), userId: 1 } }),
    unassignMatchingNumbers: async () => ({ body: await alone() }),
    bulkUnassignNumbers: () => idsOf(assigned),
    undoNumbersChange: async () => {
      const path = '/api/premium-numbers/status/matching'
      const body = { ...(await alone()), status: 'inactive' }
      return withId((await done<{ changeId: string }>(support, 'POST', path, body)).changeId)
    },
    resumeNumber: async () => {
      const id = await number()
      await done(support, 'PUT', `/api/number-inventory/${id}/suspend`)
      return withId(id)
    },
    takeNumber: async () => {
      await done(admin, 'PUT', '/api/admin/settings/number_stock', { settingValue: 'take' })
      const body = { number: String(449_500_000_000 + next()), pricePerSms: '0.05' }
      return withId((await done(support, 'POST', '/api/number-inventory', body)).id)
    },
  }
}

function ofRanges({ done }: ExamplesEnvironment): Fixtures {
  const startsAt = new Date(Date.now() + 40 * 86_400_000).toISOString()
  const range = async () => {
    const start = 448_000_000_000 + next() * 1_000
    const body = { rangeNumber: `R${start}`, startNumber: String(start), endNumber: String(start + 999) }
    return withId((await done(support, 'POST', '/api/ranges', { ...body, rate: '1.50' })).id)
  }
  return {
    ...each(['getRange', 'replaceRange', 'deleteRange'], range),
    cancelScheduledTariff: async () => {
      const planted = await range()
      await done(support, 'PUT', `/api/ranges/${planted.params?.['id']}`, { rate: '1.60', startsAt })
      return planted
    },
    bulkSetRangeStatus: async () => ({
      body: { rows: [{ id: (await range()).params?.['id'], status: 'inactive' }] },
    }),
    setMatchingRangeStatus: async () => {
      const id = (await range()).params?.['id']
      const { rangeNumber } = await done<{ rangeNumber: string }>(support, 'GET', `/api/ranges/${id}`)
      return { body: { filter: { search: rangeNumber }, count: 1, status: 'inactive' } }
    },
  }
}

function ofRequests({ done }: ExamplesEnvironment): Fixtures {
  const request = async () => {
    const body = { businessPurpose: 'Voting by SMS', expectedVolume: '50-200' }
    return withId((await done(client, 'POST', '/api/number-requests', body)).id)
  }
  return {
    ...each(['editRequest', 'withdrawRequest', 'offerNumbers', 'processRequest'], request),
    bulkProcessRequests: () => idsOf(request),
    processMatchingRequests: async () => {
      const purpose = `Voting ${next()} times`
      const body = { businessPurpose: purpose, expectedVolume: '50-200' }
      await done(client, 'POST', '/api/number-requests', body)
      return { body: { filter: { search: purpose }, count: 1, action: 'approve' } }
    },
  }
}

function ofRates({ done }: ExamplesEnvironment): Fixtures {
  const later = new Date(Date.now() + 40 * 86_400_000).toISOString()
  return {
    cancelScheduledGlobalRate: async () => {
      const body = { settingValue: '0.07', startsAt: later }
      await done(admin, 'PUT', '/api/admin/settings/global_sms_rate', body)
      return {}
    },
    cancelScheduledUserRate: async () => {
      await done(admin, 'PUT', '/api/admin/users/2/sms-rate', { customSmsRate: '0.07', startsAt: later })
      return withId(2)
    },
    decideTermsChange: async () => {
      const terms = {
        numbersMax: null,
        smsPerDayMax: null,
        valuePerCycleMax: null,
        reservePercent: 0,
        reserveDays: 90,
      }
      await done(admin, 'PUT', '/api/users/2/terms', { ...terms, payableAfterDays: 60 })
      await done(admin, 'PUT', '/api/users/2/terms', { ...terms, payableAfterDays: 30 })
      return { ...withId(2), who: secondAdmin }
    },
    decideSettingChange: async () => {
      const settingValue = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
      await done(admin, 'PUT', '/api/admin/settings/treasury_addresses', { settingValue })
      return { who: secondAdmin }
    },
  }
}

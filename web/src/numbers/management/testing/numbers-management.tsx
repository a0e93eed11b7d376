// The page of Numbers Management with two numbers.
import type { ImportReport, NumberDetail, PremiumNumber } from '@tollgate/contract/numbers/numbers.ts'
import { someNumber } from '../../../testing/objects.ts'
import { renderApp } from '../../../testing/render.tsx'
import { NumbersManagementPage } from '../NumbersManagementPage.tsx'

export const vote: PremiumNumber = {
  id: '7',
  number: '449098790142',
  description: 'Vote line',
  rate: '1.50',
  status: 'active',
  country: 'United Kingdom',
  countryCode: '+44',
  type: 'premium',
  createdAt: '2026-11-19T14:31:58.102Z',
  version: 3,
}
export const chat: PremiumNumber = {
  ...vote,
  id: '8',
  number: '449098790517',
  description: 'Chat',
  status: 'inactive',
}
/** The first one as its form reads it. */
export const voteDetail: NumberDetail = { ...someNumber, description: 'Vote line', version: 3 }
export const summary = { count: 2, active: 1, countries: [{ country: 'United Kingdom', countryCode: '+44' }] }
export const clean: ImportReport = {
  lineCount: 2,
  validCount: 2,
  importedCount: 0,
  isDryRun: true,
  importId: null,
  preview: [],
  faults: [],
  faultCount: 0,
  warnings: [],
  warningCount: 0,
}

/** The page with both numbers. */
export function openNumbersManagement(answers = {}, url = '/numbers-management') {
  return renderApp(<NumbersManagementPage />, {
    url,
    answers: {
      'GET /api/premium-numbers': [vote, chat],
      'GET /api/premium-numbers/summary': summary,
      'GET /api/numbers/7': voteDetail,
      ...answers,
    },
  })
}

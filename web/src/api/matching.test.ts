import { expect, test } from 'vitest'
import { rangePaths } from '../numbers/queries.ts'
import { requestPaths } from '../numbers/waiting-requests.ts'
import { userPaths } from '../users/queries.ts'
import { undonePaths } from './matching.tsx'

// The lists of each change are in modules that offer to undo it, so the module that undoes cannot import them.
test('undoing reads every list again that the change itself did, and the log', () => {
  expect(new Set(undonePaths.numbers)).toEqual(new Set([...rangePaths, ...requestPaths, '/api/audit']))
  expect(new Set(undonePaths.users)).toEqual(new Set([...userPaths, '/api/audit']))
})

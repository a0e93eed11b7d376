import { openNumbersBench } from '../../test/numbers.ts'
import { testRefusals } from '../../test/api.ts'

const { routes, api } = await openNumbersBench()
testRefusals(routes, api)

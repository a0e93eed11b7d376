// All rules.
import { across } from './across.ts'
import { block } from './block.ts'
import { clockwork } from './clockwork.ts'
import { list } from './list.ts'
import { madeUp } from './made-up.ts'
import { neighbours } from './neighbours.ts'
import { newcomer } from './newcomer.ts'
import { paced } from './paced.ts'
import type { Rule } from './rule.ts'

export const rules: readonly Rule[] = [list, block, paced, neighbours, madeUp, clockwork, across, newcomer]

import { expect, test } from 'vitest'
import { runCommand } from '../test/environment/program.ts'
import { compare, messages } from './messages.ts'
import { onFreePorts } from './on-free-ports.ts'
import { writePage } from './page.ts'
import { startPeer } from './peer-process.ts'

test('a machine without the peers is told what to install, before anything starts', async () => {
  const { code, stderr, stdout } = await runCommand('peers', ['--only', 'net-smpp'], { PATH: '/nowhere' })
  expect(stderr).toBe('Net::SMPP IS MISSING. Install it: apt-get install libnet-smpp-perl\n')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const unknown = await runCommand('peers', ['--only', 'nobody'], {})
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toMatch(/^There is no peer nobody\.\nUsage: npm run peers/)
})

test('a port that another program took is given up for another one, any other fault is not', async () => {
  const taken = new Error('listen EADDRINUSE: address already in use 127.0.0.1:4000')
  let starts = 0
  const start = (faults: Error[]) => async () => {
    const fault = faults[starts++]
    if (fault !== undefined) throw fault
    return starts
  }
  expect(await onFreePorts(start([taken, taken]))).toBe(3)
  starts = 0
  await expect(onFreePorts(start([taken, taken, taken]))).rejects.toBe(taken)
  starts = 0
  await expect(onFreePorts(start([new Error('no perl')]))).rejects.toThrow('no perl')
  expect(starts).toBe(1)
})

test('a program that ends before it is ready is refused with its last words', async () => {
  const peer = startPeer({
    command: process.execPath,
    args: ['-e', 'console.error("cannot listen: Address already in use"); process.exit(1)'],
    onLine: () => undefined,
  })
  await expect(peer.readyWhen(() => false, 'It did not start')).rejects.toThrow(
    'It did not start: cannot listen: Address already in use',
  )
  await peer.close()
})

test('a message with one field changed, and one that is missing, fail by name', () => {
  expect(compare(messages).filter(({ fault }) => fault !== '')).toEqual([])
  const [first, ...others] = messages
  const changed = [...others.slice(1), { ...others[0], coding: 3 } as (typeof messages)[number]]
  expect(compare(changed).filter(({ fault }) => fault !== '')).toEqual([
    { name: first?.name, fault: 'did not arrive' },
    { name: 'GSM text é € [ ]', fault: 'coding is 3, not 0' },
  ])
  const misread = messages.map((message) => ({ ...message, text: message.text?.replace('é', 'e') }))
  expect(compare(misread).filter(({ fault }) => fault !== '')).toEqual([
    { name: 'GSM text é € [ ]', fault: 'it reads e € [ ], not é € [ ]' },
  ])
})

test('the page has a table for each direction and names what failed', () => {
  const exchanged = [
    { name: 'a | b', fault: '' },
    { name: 'c', fault: 'lost' },
  ]
  const directions = [{ title: 'x submits to us', exchanged }]
  const page = writePage([{ name: 'x', version: '1', quirks: ['Odd.'], directions }])
  expect(page).toContain('\n## x 1\n\n- Odd.\n\n### x submits to us\n')
  expect(page).toContain('| a \\| b | exact |\n| c | **failed**: lost |\n')
  expect(page).toContain('\n1 of 2 were exact when it last ran.\n')
})

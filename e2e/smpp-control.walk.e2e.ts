import smpp from 'smpp'
import { expect, sidebar, signIn, signInAsAdmin, test } from './harness.ts'
import { startUpstream } from './upstream.ts'

test.use({ gatewayName: 'smpp control' })

type Gateway = Parameters<typeof signInAsAdmin>[1]

interface Pair {
  readonly systemId: string
  readonly password: string
}

/** An account that may bind. */
async function newPeer(gateway: Gateway): Promise<Pair & { readonly id: number }> {
  const { id } = await gateway.person('user', { smppAccess: true })
  return { id, ...(await gateway.api<Pair>('GET', `/api/users/${id}/smpp-credentials`)) }
}

/** Binds, and answers an unbind from the gateway. */
function bindPeer({ smppPort }: Gateway, { systemId, password }: Pair): smpp.Session {
  const session = smpp.connect({ host: '127.0.0.1', port: smppPort })
  session.on('error', () => session.destroy())
  session.on('unbind', (pdu) => session.send(pdu.response()))
  session.on('connect', () => session.bind_transceiver({ system_id: systemId, password }, () => undefined))
  return session
}

test('Server Info gives each account its credentials to copy, hidden until shown', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { id, username } = await gateway.person('user', { smppAccess: true })
  const { systemId, password } = await gateway.api<{ systemId: string; password: string }>(
    'GET',
    `/api/users/${id}/smpp-credentials`,
  )
  await signInAsAdmin(page, gateway)
  await sidebar(page).getByRole('link', { name: 'SMPP Control' }).click()
  await page.getByLabel('Account', { exact: true }).selectOption({ label: username })
  await expect(page.getByText(systemId, { exact: true }).last()).toBeVisible()
  await expect(page.getByText(password, { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Copy Password' }).click()
  await expect(page.getByText('Copied to clipboard').first()).toBeVisible()
  await expect(page.getByText('Password copied successfully').first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(password)
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(page.getByText(password, { exact: true })).toBeVisible()
  await expect(page.getByText('Online', { exact: true })).toBeVisible()
  await expect(page.getByText(String(gateway.smppPort), { exact: true }).first()).toBeVisible()
})

test('an outbound connection fails with words, is tested step by step, and sends once it is up', async ({
  page,
  gateway,
}) => {
  const outside = await startUpstream()
  outside.bindStatus = 14
  await gateway.api('POST', '/api/smpp-connections', {
    name: 'east',
    host: '127.0.0.1',
    port: outside.port,
    systemId: 'tollgate',
    password: 'wrong',
  })
  await signInAsAdmin(page, gateway, '/smpp-control?tab=connections')
  await expect(page.getByText('Authentication Failed')).toBeVisible()
  await expect(page.getByText('Error Code 14: Invalid Password')).toBeVisible()
  await expect(page.getByText(/^since /)).toBeVisible()
  await page.getByRole('link', { name: 'east', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Edit password' })).toBeVisible()
  await expect(page.getByText(/The system keeps retrying in the background/)).toBeVisible()
  await page.getByRole('button', { name: 'Send Test SMS' }).click()
  await expect(
    page
      .getByText(
        'Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.',
      )
      .first(),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Test Connection' }).click()
  await expect(page.getByText(`Port ${outside.port} open`)).toBeVisible()
  // A restart sets the count of attempts back. So the connection that is up is the one after the restart.
  const attempts = page.locator('div', { has: page.getByText('Connection attempts', { exact: true }) }).last()
  await expect(attempts.getByRole('definition')).not.toHaveText(/^[01]$/)
  outside.bindStatus = 0
  await page.getByRole('button', { name: 'Restart' }).click()
  await expect(attempts.getByRole('definition')).toHaveText('1')
  await expect(page.getByText('Connected', { exact: true }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Send Test SMS' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send Test SMS' })
  await dialog.getByLabel('From').fill('Tollgate')
  await dialog.getByLabel('To').fill('+44 7700 900318')
  await dialog.getByLabel('Text').fill('hello outside')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog.getByText('Taken by the gateway')).toBeVisible()
  expect(outside.texts).toEqual(['hello outside'])
  outside.close()
})

test('a connection is pointed at another host, with its password again, and gets another profile', async ({
  page,
  gateway,
}) => {
  const [own, stranger] = [await startUpstream(), await startUpstream()]
  const link = { name: 'west', host: '127.0.0.1', port: own.port, systemId: 'tollgate', password: 'secret12' }
  await gateway.api('POST', '/api/smpp-connections', link)
  await signInAsAdmin(page, gateway, '/smpp-control?tab=connections')
  await page.getByRole('link', { name: 'west', exact: true }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit west' })
  await dialog.getByLabel('Port').fill(String(stranger.port))
  const reason = dialog.getByText('Enter the password again: the port has changed', { exact: true })
  await expect(reason).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByLabel('Password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Password', { exact: true }).fill('theirs12')
  await dialog.getByText('More settings').click()
  await dialog.getByLabel('Alphabet of Coding 0').selectOption('latin1')
  await dialog.getByLabel('Receive Window').fill('7')
  await dialog.getByLabel('Send Window').fill('3')
  await dialog.getByLabel('Enquire Link').fill('60')
  await dialog.getByLabel('Allowed Networks').fill('127.0.0.0/8')
  await dialog.getByText('National language tables of GSM in what we send').click()
  await dialog.getByText('Strict: refuse reserved values').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect.poll(() => stranger.passwords).toContain('theirs12')
  expect(stranger.passwords).not.toContain('secret12')
  const profile = {
    defaultAlphabet: 'latin1',
    receiveWindow: 7,
    sendWindow: 3,
    enquireLinkSeconds: 60,
    allowedCidrs: ['127.0.0.0/8'],
    useNationalTables: true,
    isStrict: true,
  }
  const saved = await gateway.api<object[]>('GET', '/api/smpp-connections')
  expect(saved).toContainEqual(expect.objectContaining({ name: 'west', ...profile }))
  for (const outside of [own, stranger]) outside.close()
})

test('a bound peer shows at once and can be disconnected; the tests of Monitoring tell the way', async ({
  page,
  gateway,
}) => {
  const pair = await newPeer(gateway)
  await signInAsAdmin(page, gateway, '/smpp-control?tab=connections')
  await expect(page.getByText('No IPRN providers connected yet')).toBeVisible()
  const session = bindPeer(gateway, pair)
  const closed = new Promise<void>((settle) => session.on('close', () => settle()))
  await expect(page.getByRole('row', { name: new RegExp(pair.systemId) })).toBeVisible()
  await page.getByRole('button', { name: `Disconnect ${pair.systemId}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await closed
  await expect(page.getByText('No IPRN providers connected yet')).toBeVisible()
  await page.getByRole('tab', { name: 'Monitoring' }).click()
  await expect(page.getByText(`Port ${gateway.smppPort} open`)).toBeVisible()
  await page.getByRole('button', { name: 'Check Gateway Status' }).click()
  await expect(page.getByText('Gateway Online').last()).toBeVisible()
  await page.getByRole('button', { name: 'Test Server Connection' }).click()
  await expect(page.getByText('SMPP server: Test Successful')).toBeVisible()
  await expect(page.getByText('Answers as an SMPP server')).toBeVisible()
})

test('the flight recorder of a link is switched on, shows a PDU beside the list, and is found by its address', async ({
  page,
  gateway,
}) => {
  const { id, ...pair } = await newPeer(gateway)
  await signInAsAdmin(page, gateway, '/smpp-control?tab=connections')
  const session = bindPeer(gateway, pair)
  await page.getByRole('button', { name: `Flight recorder of ${pair.systemId}` }).click()
  await expect(page).toHaveURL(new RegExp(`flight=bind-${id}`))
  const recorder = page.getByRole('region', { name: 'Flight Recorder' })
  await expect(recorder.getByText('Nothing is recorded')).toBeVisible()
  await recorder.getByText('Record PDUs', { exact: true }).click()
  await expect(recorder.getByText(/^recording until/)).toBeVisible()
  const line = recorder.getByRole('button', { name: /received enquire_link/ })
  await expect(async () => {
    session.enquire_link({}, () => undefined)
    await expect(line.first()).toBeVisible({ timeout: 1_500 })
  }).toPass()
  await line.first().click()
  await expect(recorder.getByRole('group', { name: 'Octets' })).toContainText('00 00 00 10 00 00 00 15')
  await page.reload()
  await expect(recorder.getByLabel('Link')).toHaveValue(`bind-${id}`)
  await expect(line.first()).toBeVisible()
  session.destroy()
})

test('support is denied', async ({ page, gateway }) => {
  const { username } = await gateway.person('support')
  await signIn(page, gateway, username, '/smpp-control')
  await expect(page.getByText('Access Denied')).toBeVisible()
})

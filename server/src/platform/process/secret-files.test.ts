import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/environment/temporary-folder.ts'
import { readConfig } from './config.ts'

test('a secret comes from its file or from systemd, without the line end, and a variable goes before', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'key')
  await writeFile(file, 'the key of the file\n')
  await writeFile(join(folder, 'SECRET_KEY'), 'the key of systemd\n')
  await writeFile(join(folder, 'tollgate_ADMIN_PASSWORD'), ' spaces belong to it ')
  const credentials = { CREDENTIALS_DIRECTORY: folder }
  expect(readConfig({ SECRET_KEY_FILE: file }).secretKey).toBe('the key of the file')
  expect(readConfig({ ...credentials, SECRET_KEY_FILE: file }).secretKey).toBe('the key of the file')
  expect(readConfig(credentials).secretKey).toBe('the key of systemd')
  expect(readConfig(credentials).admin?.password).toBe(' spaces belong to it ')
  expect(readConfig({ ...credentials, SECRET_KEY: 'the key of the environment' }).secretKey).toBe(
    'the key of the environment',
  )
})

test.each([
  [{ DATABASE_URL_FILE: '/no/such/file' }, /^DATABASE_URL_FILE=\/no\/such\/file cannot be read \(ENOENT\)\./],
  [
    { SECRET_KEY: 'sixteen characters', SECRET_KEY_FILE: '/x' },
    /^SECRET_KEY and SECRET_KEY_FILE are both given/,
  ],
])('%j is refused in one line', (environment, line) => {
  expect(() => readConfig(environment)).toThrow(line)
})

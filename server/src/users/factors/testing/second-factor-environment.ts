// What second-factor.test.ts and second-factor.long.test.ts stand on.
import { openPeople } from '../../../../test/people/people.ts'

export interface Member {
  readonly username: string
  readonly password: string
}

export async function openSecondFactorEnvironment() {
  const people = await openPeople()
  const { api, clock, db, users, root, person, newAddress } = people

  function login({ username, password }: Member, code?: string, ip = newAddress()) {
    return api.call('POST', '/api/login', { body: { username, password, code }, ip })
  }

  async function actionsOf(id: number): Promise<string[]> {
    const answer = await api.call('GET', `/api/audit?objectType=user&objectId=${id}&limit=50`, {
      cookie: root,
    })
    return answer.body.map((entry: { action: string }) => entry.action)
  }
  return { people, api, clock, db, users, root, person, newAddress, login, actionsOf }
}

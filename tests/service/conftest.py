import pytest
from tests.doubles.service_world import Start, World, fixtures_of

start_world, world = fixtures_of(World)


@pytest.fixture
async def pilot(start_world: Start) -> World:
    """A service in the pilot of configuration version 2."""
    begun: World = await start_world(rules_v2=True)
    return begun
